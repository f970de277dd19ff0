/** A person with an account at the sample CRM. */
export interface Person {
  readonly email: string
  readonly name: string
  readonly password: string
}

export const people: readonly Person[] = [
  { email: 'ada@acme.example', name: 'Ada Lovelace', password: 'acme' },
  { email: 'gus@globex.example', name: 'Gus Gorman', password: 'globex' },
]
