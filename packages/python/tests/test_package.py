"""What an index of packages shows of the wheel."""

import re
from importlib.metadata import distribution


def test_the_wheel_has_its_licenses():
    names = {path.name for path in distribution("doublecross").files}
    assert {"LICENSE-MIT", "LICENSE-APACHE"} <= names


def test_links_of_the_description_are_whole_addresses():
    links = re.findall(r"\]\(([^)]*)\)", distribution("doublecross").metadata.get_payload())
    assert len(links) > 5
    assert [link for link in links if not link.startswith("https://")] == []
