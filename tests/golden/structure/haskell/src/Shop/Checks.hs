module Shop.Checks where

check :: String -> String
check item = reverse item
