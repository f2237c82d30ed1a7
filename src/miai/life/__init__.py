"""Life and death: problems, the frame around them, the exact search, verdicts and proofs."""
