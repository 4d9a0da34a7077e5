"""`python -m minchiate_rl` is the command `minchiate`."""

import sys

from minchiate_rl.app.cli.main import main

sys.exit(main())
