module Shop.Store (put) where

import qualified Shop.Codec as Codec
import Shop.Checks

put :: String -> String
put item = Codec.encode (check (local item))

local :: String -> String
local item = item
