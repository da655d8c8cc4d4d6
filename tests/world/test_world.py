"""Worlds: the tables of several graphs in one."""

import shutil

import numpy as np
import pytest

from mtvm.errors import InputError
from mtvm.world.graph import NavGraph
from mtvm.world.world import World
from small_worlds import make_graph


def test_world_tables_equal_those_of_its_graphs(tiny_world):
    assert len(tiny_world) == sum(map(len, tiny_world.graphs))
    for scan in tiny_world.scans:
        graph = tiny_world.graph(scan)
        first = tiny_world.first_node[tiny_world.scan_number[scan]]
        nodes = first + np.arange(len(graph))
        assert (tiny_world.viewpoints[nodes] == graph.viewpoints).all()
        np.testing.assert_array_equal(tiny_world.distance(nodes[:, None], nodes[None, :]), graph.distances)
        np.testing.assert_array_equal(tiny_world.next_slot(nodes[:, None], nodes[None, :]), graph.next_slot)
        for node in nodes[::9]:
            neighbours = graph.neighbours(node - first) + first
            assert tiny_world.candidates[node, : tiny_world.degree[node]].tolist() == neighbours.tolist()
            assert tiny_world.has_edge(np.full(len(nodes), node), nodes).sum() == len(neighbours)
            assert tiny_world.scan(node) == scan
            assert tiny_world.node(scan, str(tiny_world.viewpoints[node])) == node
        assert tiny_world.shortest_path(nodes[0], nodes[-1])[-1] == nodes[-1]


def test_node_refuses_unknown_scans_and_viewpoints(tiny_world):
    with pytest.raises(InputError, match="scan castle is not among the 5 scans"):
        tiny_world.node("castle", "a")
    with pytest.raises(InputError, match="scan tiny0 has no included viewpoint attic"):
        tiny_world.node("tiny0", "attic")


def test_world_refuses_the_same_scan_twice(tiny_world):
    with pytest.raises(InputError, match="the same scan was given twice"):
        World([tiny_world.graphs[0]] * 2)


def test_load_takes_each_scan_named_once(tiny_folder):
    assert World.load(tiny_folder / "connectivity", ["tiny1", "tiny1"]).scans == ["tiny1"]


def test_load_refuses_a_folder_without_graphs(tmp_path):
    with pytest.raises(InputError, match=r"no file named <scan>_connectivity\.json"):
        World.load(tmp_path)


def test_load_reads_a_file_again_only_if_it_has_changed(tiny_folder, tmp_path, monkeypatch):
    path = tmp_path / "tiny0_connectivity.json"
    shutil.copy(tiny_folder / "connectivity" / path.name, path)
    read, load = [], NavGraph.load

    def counted(path, cache=True):
        read.append(path)
        return load(path, cache)

    monkeypatch.setattr(NavGraph, "load", counted)
    first, second = World.load(tmp_path), World.load(tmp_path)
    assert len(read) == 1
    assert second.graphs[0] is first.graphs[0]
    shutil.copy(tiny_folder / "connectivity" / "tiny1_connectivity.json", path)
    assert len(World.load(tmp_path)) != len(first)
    assert len(read) == 2


def test_reachable_is_true_for_nodes_of_the_scan_with_a_path():
    parts = make_graph({"a": (0, 0), "b": (0, 2), "c": (0, 4)}, ["ab"], "parts")
    world = World([parts, make_graph({"d": (0, 0), "e": (0, 2)}, ["de"], "other")])
    starts = np.array([0, 0, 0, 0, 3, 0, 4])
    goals = np.array([0, 1, 2, 3, 4, -1, 5])
    assert world.reachable(starts, goals).tolist() == [True, True, False, False, True, False, False]
