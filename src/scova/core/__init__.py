"""What every room may use: plain functions over texts and numbers. Knows no other room."""
