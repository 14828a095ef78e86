from .db import connect
from .models import *
