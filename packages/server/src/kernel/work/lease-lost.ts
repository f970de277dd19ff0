/**
 * The work belongs to another worker by now, or its row was deleted. Nothing more may be committed under this lease;
 * what was committed under it stays.
 */
export class LeaseLost extends Error {
  override name = 'LeaseLost'

  constructor() {
    super('The lease of this work was lost.')
  }
}
