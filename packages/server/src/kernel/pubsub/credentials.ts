import { type Topic, topic } from './topic.ts'

/**
 * A change that may end or narrow what a caller may do, on any node. Triggers publish it (migration 0045), so that no
 * writer can forget to.
 */
export interface ChangedCredential {
  table: 'api_keys' | 'jwt_keys' | 'sessions' | 'memberships' | 'projects'
  /** Id of the row; of a membership, the id of the builder. Absent for any row. */
  id?: string
}

const tables: ReadonlySet<string> = new Set<ChangedCredential['table']>([
  'api_keys',
  'jwt_keys',
  'sessions',
  'memberships',
  'projects',
])

export const credentialsTopic: Topic<ChangedCredential> = topic<ChangedCredential>('credentials', {
  format: ({ table, id }) => (id === undefined ? table : `${table} ${id}`),
  parse(text) {
    const [table = '', id] = text.split(' ')
    return isTable(table) ? { table, ...(id !== undefined && { id }) } : undefined
  },
})

function isTable(name: string): name is ChangedCredential['table'] {
  return tables.has(name)
}
