# SPDX-License-Identifier: MIT
"""Provides what a trace (`--trace FILE`) shows about host and device: how much of their work overlaps in time.

The measure, for one flow graph:
  H  union of the spans of category "host": stages on any thread, from the source to the sink
  D  union of the spans of category "device": of each batch on a stream, from the moment the device began with it (or,
     if the device does not tell, all of it was enqueued) to the moment when it was complete
  overlap = |H and D| / min(|H|, |D|), lengths in time
A span of D includes the time that a batch waits for others on the device. That is correct in a union: a device that has
work is busy. A device may begin with a batch before the call that submitted it has returned: the rest of that call is left
out of H, so a batch never overlaps with itself. (On a busy machine it is long: where the device is simulated by a thread,
this thread is woken by the call and takes its processor.)
"""
import json


class Graph:
    """Spans (begin, end) of one graph in microseconds: of the host, of the device in total and per stream, and of each
    stage per batch; and how long each batch waited from the end of its submission until the device began with it."""

    def __init__(self):
        self.host = []
        self.device = []
        self.streams = {}
        self.stages = {}
        self.waits = []

    def mean_wait_us(self):
        return sum(self.waits) / max(1, len(self.waits))


def begins_on_device(events):
    """When the device began with what a stage of submission gave it, by graph, stage and batch."""
    begins = {}
    for event in events:
        if event["cat"] == "device":
            key = (event["args"]["graph"], event["name"] + ".submit", event["args"]["batch"])
            begins.setdefault(key, []).append(event["ts"])
    return begins


def graphs_of(path):
    graphs = {}
    with open(path) as stream:
        events = [event for event in json.load(stream)["traceEvents"] if event["ph"] == "X"]
    begins = begins_on_device(events)
    for event in events:
        graph = graphs.setdefault(event["args"]["graph"], Graph())
        span = (event["ts"], event["ts"] + event["dur"])
        if event["cat"] == "device":
            graph.device.append(span)
            graph.streams.setdefault(event["tid"], []).append(span)
        else:
            own = begins.get((event["args"]["graph"], event["name"], event["args"]["batch"]), [])
            graph.host.append((span[0], min((at for at in own if span[0] <= at <= span[1]), default=span[1])))
            graph.waits.extend(max(0.0, at - span[1]) for at in own[:1])
        graph.stages.setdefault(event["name"], {})[event["args"]["batch"]] = span
    return graphs


def union(spans):
    """Disjoint spans in order."""
    merged = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return merged


def length(spans):
    return sum(end - begin for begin, end in spans)


def intersection(a, b):
    """Of two unions."""
    both = []
    i = j = 0
    while i < len(a) and j < len(b):
        begin, end = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if begin < end:
            both.append((begin, end))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return both


def overlap(graph):
    """(fraction, host microseconds, device microseconds) of a graph."""
    host, device = union(graph.host), union(graph.device)
    shorter = min(length(host), length(device))
    return (length(intersection(host, device)) / shorter if shorter else 0.0), length(host), length(device)


def most_at_once(spans):
    """The maximum number of spans that contain the same moment."""
    edges = sorted([(begin, 1) for begin, _ in spans] + [(end, -1) for _, end in spans])
    maximum = now = 0
    for _, step in edges:
        now += step
        maximum = max(maximum, now)
    return maximum
