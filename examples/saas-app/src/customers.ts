/** A customer of Harbor, with the person who is signed in. */
export interface Customer {
  /** Your own id of the customer; Mortise knows it as `groupRef`. */
  readonly id: string
  readonly name: string
  readonly person: { readonly id: string; readonly name: string }
}

export const customers: readonly Customer[] = [
  { id: 'acme', name: 'Acme', person: { id: 'ada@acme.example', name: 'Ada Lovelace' } },
  { id: 'globex', name: 'Globex', person: { id: 'gus@globex.example', name: 'Gus Gorman' } },
]
