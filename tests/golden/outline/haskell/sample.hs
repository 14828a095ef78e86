{-# LANGUAGE LambdaCase, GADTs #-}
-- | Money in, money out.
module Billing.Invoice
  ( Invoice (..)
  , charge
  ) where

import qualified Data.Map.Strict as Map
import Data.Text (Text, pack)

-- | An amount in cents.
type Amount = Int

newtype Number = Number { unNumber :: Text }
  deriving (Eq, Show)

-- | An invoice.
data Invoice a
  = Open { number :: Number, total, rest :: Amount }
  | Paid Amount
  | a :*: Amount
  deriving stock (Eq)

data Expr t where
  Lit :: Int -> Expr Int
  Neg, Not :: Expr t -> Expr t

class (Show a) => Chargeable a where
  type Receipt a
  {-# MINIMAL charge #-}
  -- | Charges it.
  charge :: a -> Amount -> Maybe a
  label, name :: a -> Text
  label _ = pack "none"

instance Chargeable (Invoice a) where
  type Receipt (Invoice a) = Int
  charge (Paid _) _ = Nothing
  charge invoice amount = Just (reduce amount invoice)

instance Show (Expr t) where
  show = const "expr"

deriving instance Eq (Expr Int)

infixl 6 <+>

(<+>) :: Amount -> Amount -> Amount
a <+> b = a + b

-- | Takes off what was paid.
reduce :: Amount -> Invoice a -> Invoice a
reduce 0 invoice = invoice
reduce amount invoice
  | amount > limit = Paid amount
  | otherwise = go (rest invoice)
  where
    limit = 100
    go n = invoice { rest = n - amount }

total', spare :: Amount
total' = sum (map fst pairs)
  where pairs = Map.toList table
spare = 3

table = Map.fromList [(1, 'a')]

x `plus` y = x + y

type family Elem c :: *
type instance Elem [e] = e

pattern Zero :: Amount
pattern Zero = 0

foreign import ccall "math.h sin" c_sin :: Double -> Double

main :: IO ()
main = do
  let local = negate 3
  mapM_ print $ filter even [local]
  putStrLn . show =<< pure (5 `div` 2)

#if MIN_VERSION_text(2,0,0)
shorten :: Text -> Text
shorten = T.take 9
#else
lengthen :: Text -> Text
lengthen = T.cycle 9
#endif
