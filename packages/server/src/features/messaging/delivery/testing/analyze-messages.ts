import pg from 'pg'

/** Analyzes the messages, as autovacuum does. Until then, the planner knows nothing of what was inserted. */
export async function analyzeMessages(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query('analyze mortise.messages')
  } finally {
    await client.end()
  }
}
