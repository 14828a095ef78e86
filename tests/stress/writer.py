"""One writer: brings the index up to date again and again, as `scova index` does. `python writer.py ROOT`."""

import subprocess
import sys
import time
from pathlib import Path

SCOVA = str(Path(sys.executable).with_name("scova"))

while True:
    done = subprocess.run([SCOVA, "index", sys.argv[1]], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3) or "Traceback" in done.stderr:  # 3: a file was gone before it could be read
        sys.exit(f"exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    time.sleep(1.0)
