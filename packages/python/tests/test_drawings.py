"""Drawings of positions, games and runs."""

import re
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import doublecross

SVG = "{http://www.w3.org/2000/svg}"


def lines(text):
    """Return the color and the width of each line, from left to right and top to bottom of the edges."""
    paths = [path for path in xml.fromstring(text).iter(f"{SVG}path") if path.get("stroke")]
    return [(path.get("stroke"), float(path.get("stroke-width"))) for path in paths]


def labels(text):
    """Return the labels, each of which is drawn twice: its outline below, then its letters."""
    texts = list(xml.fromstring(text).iter(f"{SVG}text"))
    for outline, label in zip(texts[::2], texts[1::2]):
        assert outline.get("stroke") == outline.get("fill") == "#ffffff" and label.get("stroke") is None
        assert (outline.text, outline.get("x"), outline.get("y")) == (label.text, label.get("x"), label.get("y"))
    return [label.text for label in texts[1::2]]


def test_positions_are_drawn():
    position = doublecross.Position("1x2 H0,0 H1,0 V0,0 V0,1")
    drawing = position.svg()
    assert drawing == position._repr_svg_()
    ink = ("#1d2330", 11.0)
    assert [line == ink for line in lines(drawing)] == [edge in position.drawn() for edge in range(7)]
    root = xml.fromstring(drawing)
    assert root.find(f"{SVG}title").text == "Dots and Boxes, 1x2: 0-1" and len(list(root.iter(f"{SVG}circle"))) == 6
    assert "#fbd6b2" in drawing and "#c3dcf7" not in drawing


def test_values_and_policies_of_edges_are_drawn():
    position = doublecross.Position("2x2 H0,0 V1,2")
    values = doublecross.Solver("2x2").edge_values(position)
    drawing = position.svg(values=values)
    assert labels(drawing) == [f"{lower:+g}" if lower else "0" for _, (lower, _) in sorted(values.items())]
    best = max(values.values())
    green = [index for index, (color, _) in enumerate(lines(drawing)) if color == "#2eb82e"]
    assert green == [edge for edge in values if values[edge] == best]
    assert "hsl" not in drawing and "paint-order" not in drawing, "not every renderer knows them"
    policy = np.zeros(12)
    policy[3] = 0.75
    widths = [width for _, width in lines(position.svg(policy=policy))]
    assert widths[3] == max(widths) == 19.0 and position.svg(policy={3: 0.75}).count("19") == 1
    array = np.full(12, np.nan)
    array[[1, 4]] = 1.5, -2
    assert labels(position.svg(values=array)) == labels(position.svg(values={1: 1.5, 4: -2})) == ["+1.5", "-2"]
    assert labels(position.svg(values={1: (-2, 1)})) == ["-2…+1"]
    for wrong in [{"values": np.zeros(11)}, {"policy": {12: 1.0}}, {"policy": np.zeros((1, 12))}]:
        with pytest.raises(ValueError):
            position.svg(**wrong)


def test_chains_are_drawn():
    loop = doublecross.Position("2x2 H0,0 H0,1 H2,0 H2,1 V0,0 V1,0 V0,2 V1,2")
    group = xml.fromstring(loop.svg(chains=True)).find(f"{SVG}g")
    assert group.get("class") == "loop" and len(group.findall(f"{SVG}rect")) == 4
    assert group.find(f"{SVG}title").text == "loop of 4"
    assert {rect.get("fill") for rect in group.iter(f"{SVG}rect")} == {"#ddcbf6"}
    with pytest.raises(ValueError):
        doublecross.Position("1x1 H0,0 H1,0 V0,0").svg(chains=True)


def test_games_are_drawn_in_the_colors_of_their_players():
    game = doublecross.Game("1x2 H0,0 H1,0 V0,0 V0,1 H0,1")
    drawn = {edge: line for edge, line in enumerate(lines(game.svg())) if edge in game.moves}
    blue, orange = "#2f7de0", "#e2660f"
    assert {edge: color for edge, (color, _) in drawn.items()} == {0: blue, 2: orange, 4: blue, 5: orange, 1: orange}
    assert {edge: width for edge, (_, width) in drawn.items()} == {0: 11, 2: 11, 4: 11, 5: 11, 1: 17}
    assert game._repr_svg_() == game.svg() and len(lines(doublecross.Game("1x2").svg())) == 7


def test_runs_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "config.toml").write_text("")
    run = doublecross.Run(tmp_path)
    assert xml.fromstring(run._repr_svg_()).tag == f"{SVG}svg", "a run without a generation"
    rows = [f'{{"generation": {generation}, "policy_loss": {3 / generation}, "margin_loss": 1}}' for generation in (1, 2, 3)]
    (tmp_path / "progress.jsonl").write_text("\n".join(rows))
    axes = run.plot("policy_loss")
    (curve,) = axes.get_lines()
    assert curve.get_xydata().tolist() == [[1, 3], [2, 1.5], [3, 1]] and curve.get_label() == "policy_loss"
    assert len(run.plot(ax=axes).get_lines()) == 3, "the losses are added"
    assert re.search("<!-- policy_loss -->", run._repr_svg_())
    with pytest.raises(KeyError):
        run.plot("policy_los")
