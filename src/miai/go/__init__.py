"""The game itself: points, rules, records, diagrams. Knows nothing of search or networks."""
