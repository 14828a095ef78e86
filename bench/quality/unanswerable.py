"""Questions that have no answer, or one that is asked for by a wrong name: what `relevance.py` judges by.

FOREIGN are about programs of other domains than those of the benchmark; no label of any repository went into them.
"""

import random
import re

FOREIGN = """
how is the sales tax of an invoice computed
where are refunds of a credit card payment issued
how does the shopping cart apply a discount coupon
where is the shipping cost of a parcel estimated
how are hotel rooms booked and overbooking prevented
how is a seat on a flight reserved
where is the exchange rate between currencies looked up
how does the ledger post a double entry booking
how are employee salaries and overtime computed
where is a mortgage amortization schedule made
how are DICOM images of a patient loaded
where is the blood glucose dose calculated
how are appointments of a clinic scheduled
how is a drug interaction checked before prescribing
how does the genome aligner score mismatches
how are protein structures folded
where is the orbit of a satellite propagated
how is the attitude of the drone stabilised by gyroscope
how does the autopilot follow a waypoint
how is the lidar point cloud segmented
where does the robot arm solve inverse kinematics
how does the elevator decide which floor to serve next
how are traffic lights switched at a crossing
how is the battery charge level of the vehicle estimated
where are bluetooth devices paired
how is the fingerprint sensor calibrated
how does the thermostat control the heating
how is a barcode scanned by the camera
where are faces recognised in a photo
how is the video transcoded to h264
how does the audio mixer apply reverb
how are MIDI notes quantised
where is speech turned into text by the acoustic model
how does the chess engine evaluate a position
how do sprites collide with the tilemap
where does the ray tracer intersect a triangle
how is the terrain mesh generated from a height map
how do enemies find a path around obstacles
how are inventory items crafted by the player
where is the leaderboard of the tournament updated
how are blockchain blocks mined and validated
where does the wallet sign a transaction
how is a smart contract deployed to the chain
how does the raft leader replicate its log to followers
how does the kubernetes operator reconcile pods
where does the hypervisor map guest memory pages
how does the kernel schedule threads across cores
how are page faults handled by the memory manager
where is the USB descriptor parsed
how is the PCI bus enumerated
how does the compiler allocate registers by graph colouring
where are basic blocks put into static single assignment form
how does the query planner choose a join order
where is the B-tree page split on insert
how are columns compressed in a parquet file
how is a SAML assertion verified
where does single sign on redirect to the identity provider
how is an LDAP group membership resolved
how are PDF pages rendered to a bitmap
where are spreadsheet formulas recalculated
how does the word processor break paragraphs into lines
how is spelling checked in the editor
where does the mail server filter spam
how does the calendar expand recurring meetings
how are push notifications sent to phones
where is the chat message encrypted end to end
how does the video call negotiate an ICE candidate
how are map tiles fetched and drawn
where is the shortest route between two addresses computed
how is the weather forecast interpolated
how are earthquakes located from seismograms
how does the simulation integrate rigid bodies
where is the fluid pressure solved
how does the neural network backpropagate gradients
how is the learning rate warmed up during training
how is a decision tree pruned
how does the recommender factorise the rating matrix
where are advertisements auctioned in real time
how is the news feed personalised
how do users follow friends and see their stories
how does the crawler respect crawl budgets
how are tweets ranked by sentiment
where are subtitles aligned with the film
how is the recipe scaled to more servings
how are tenants billed for electricity
where is the warehouse picking route planned
how does the bakery order flour
how is a student's grade averaged over the term
where are library books lent and returned
how is the election ballot counted
who decides which lawyer gets the case
how do immigration officers check a visa
how are insurance claims assessed
how is the carbon footprint of a product estimated
where does the tractor steer by satellite
how is milk yield per cow recorded
how are museum exhibits catalogued
where are wedding guests seated
how is the marathon runner's split time measured
how are football fixtures drawn
""".strip().splitlines()

_WORDS = """apple river mountain guitar kitchen horse velvet thunder bicycle orange winter candle forest doctor soldier pencil bottle
garden monkey castle summer pepper ladder dragon silver basket window camel lemon rabbit ocean carpet pillow butter hammer desert
island jacket violin tunnel cheese saddle feather blanket coffee dentist elephant farmer glacier harbour igloo jungle kettle lantern
mushroom needle onion parrot quilt raincoat sailor teacup umbrella village walnut yacht zebra anchor bakery cactus daisy eagle falcon
grape helmet ivory jasmine kitten lobster marble nectar oyster peacock rooster sandal turtle unicorn vulture whale almond beetle
cherry donkey ember fiddle goblet hazel"""
_EVERYDAY = _WORDS.split()
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ADDED = ("Impl", "Helper", "Manager", "New", "Value", "Data", "Base", "All", "Async", "Info")


def nonsense(chance: random.Random) -> str:
    """Two to six words of everyday life."""
    return " ".join(chance.sample(_EVERYDAY, chance.randint(2, 6)))


def gibberish(chance: random.Random) -> str:
    """One to four words of random letters."""
    return " ".join("".join(chance.choices(_LETTERS, k=chance.randint(4, 9))) for _ in range(chance.randint(1, 4)))


def without(question: str, names: tuple[str, ...]) -> str:
    """The question without what it names: the reader has to guess from the words around it."""
    for name in names:
        question = question.replace(name, " ")
    return " ".join(question.split())


def misremembered(question: str, names: tuple[str, ...], chance: random.Random) -> str:
    """The question with every name a little wrong, as somebody remembers it who has not looked."""
    for name in names:
        added = chance.choice(_ADDED)
        wrong = f"{name}_{added.lower()}" if re.search(r"[a-z]_", name) or name.islower() else name + added
        question = question.replace(name, wrong)
    return question
