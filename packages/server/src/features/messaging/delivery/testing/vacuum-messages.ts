import pg from 'pg'

/** Vacuums and analyzes the messages, as autovacuum does. Before, the planner knows nothing of what was inserted. */
export async function vacuumMessages(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query('vacuum analyze mortise.messages')
  } finally {
    await client.end()
  }
}
