"""What the projects of these tests hold: a small shop with calls three deep, names and contents that mean harm, one long file, many alike."""

import httpx2

BATCH = 100
HOSTILE = {
    "<img src=x onerror=alert(1)>.py": "def pwned():\n    return '<script>alert(2)</script><img src=x onerror=alert(3)>'\n",
    "evil\u202egpj.py": "def check_access(user):\n    \u202eif user.is_admin:\u2066\n        return True  # \u200bhidden\n",
    "ansi\u001b[31mred.py": "MESSAGE = '\u001b[2J\u001b]0;owned\u0007 terminal_title'\n\ndef terminal_title():\n    return MESSAGE\n",
    "javascript:alert(4)/%2e%2e/`x`.md": "# terminal_title\n\n[click](javascript:alert(5)) <b onmouseover=alert(6)>bold</b> \U0001f600\n",
    "\"quoted' &amp; <b>.py": 'def quoted_name():\n    return """</span><svg onload=alert(7)>"""\n',
}
SHOP = {
    "README.md": "# Shop\n\nA tiny shop. Prices come from `total_price`, which adds taxes with `add_tax`.\n\n## Install\n\nPush it.\n",
    "shop/tax.py": '"""Taxes."""\n\nRATE = 0.2\n\n\ndef add_tax(price):\n    """A price with its tax."""\n    return price * (1 + RATE)\n',
    "shop/cart.py": (
        '"""The cart."""\n\nfrom shop.tax import add_tax\n\n\nclass Cart:\n    def __init__(self):\n        self.items = []\n\n'
        "    def add(self, item):\n        self.items.append(item)\n\n\ndef total_price(cart):\n"
        '    """What a cart costs."""\n    total = 0\n    for item in cart.items:\n        total += add_tax(item.price)\n    return total\n'
    ),
    "shop/checkout.py": (
        '"""Paying."""\n\nfrom shop.cart import Cart, total_price\n\n\ndef pay(cart):\n    """Take the money."""\n'
        "    return charge(total_price(cart))\n\n\ndef charge(amount):\n    return amount > 0\n"
    ),
    "shop/web.py": "from shop.checkout import pay\n\n\ndef handle_order(request):\n    return pay(request.cart)\n",
    "shop/desk.py": "class Desk:\n    def settle(self, order):\n        return order.total > 0\n",
    "shop/guess.py": "def refund(order):\n    return order.desk.settle(order)\n",
    "app/cart.ts": "export class CartView {\n  /* shows\n     it */\n  render(total: number): string {\n    return `total ${total}`;\n  }\n}\n",
}
LONG = "long/table.py"
LONG_LINES = 20_000


def long_file() -> str:
    """A file of 20,000 lines with a definition at every hundredth."""
    lines = []
    for number in range(1, LONG_LINES + 1):
        lines.append(f"def row_{number}():" if number % 100 == 1 else f"    value_{number} = {number}  # line {number}")
    return "\n".join(lines) + "\n"


def many_files(files: int, each: int) -> dict[str, str]:
    """Files with so many functions each, all of them about the same thing."""
    words = ["harbour", "lantern", "orchard", "quarry", "ledger", "parcel", "compass", "anchor", "meadow", "furnace"]
    made = {}
    for number in range(files):
        functions = []
        for index in range(each):
            word, other = words[(number + index) % 10], words[(number * 7 + index * 3) % 10]
            steps = "".join(
                f"    if {word}.room({step}) and not {other}.closed:  # the {words[(number + step) % 10]} goes first\n"
                f"        {word} = {word}.turn({other}, by={number % 90 + step}, after={words[(index + step) % 10]!r})\n"
                for step in range(6)
            )
            functions.append(
                f"def {word}_{number}_{index}(widget, {other}):\n"
                f'    """Bring the widget of the {word} to the {other}, number {number}."""\n'
                f"    {word} = widget.find({number})\n{steps}    return {word}.move({other}, {index})\n"
            )
        made[f"pkg{number // 100}/module_{number}.py"] = "\n\n".join(functions)
    return made


def push(url: str, project: str, contents: dict[str, str], token: str = "") -> None:
    """Bring contents to a project, making it."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    with httpx2.Client(base_url=url, timeout=120, headers=headers) as client:
        client.post("/projects", json={"project_id": project})
        files = [{"path": path, "content": content} for path, content in contents.items()]
        for begin in range(0, len(files), BATCH):
            answer = client.post("/index", json={"project_id": project, "files": files[begin : begin + BATCH]})
            assert answer.status_code == 200, answer.text
