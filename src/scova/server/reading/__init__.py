"""What people look at beside answers: whole files, and how a project is."""
