"""The rules of the game in compiled loops over flat arrays; `board.Board` is the shell for people.

`arrays` is what a board is made of; `chains` join and leave, `moves` come down and are taken back, and
`legality` says which moves there are.
"""
