import pg from 'pg'
import type { Statement } from './app-beside.ts'

/** What a statement touched when it ran. */
export interface Plan {
  /** Pages of tables and indexes. */
  pages: number
  /** Tables that were read from end to end, beyond a few rows. */
  scanned: string[]
  ms: number
}

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

/**
 * Runs statements and adds up what they touched. A few hundred rows are what a project has; more are those of others.
 */
export async function planOf(superuser: pg.ClientConfig, statements: Statement[]): Promise<Plan> {
  const client = new pg.Client({ ...superuser, options: '-c search_path=mortise -c timezone=UTC' })
  await client.connect()
  const plan: Plan = { pages: 0, scanned: [], ms: 0 }
  try {
    for (const { text, values } of statements) {
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values)
      const [{ Plan: root, 'Execution Time': ms, 'Planning Time': planning }] = rows[0]['QUERY PLAN']
      plan.pages += (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0)
      plan.ms += ms + planning
      collect(root, plan.scanned)
    }
  } finally {
    await client.end()
  }
  return plan
}

const ofOneProject = 500

function collect(node: Node, scanned: string[]): void {
  const seen = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)
  if (seen > ofOneProject && node['Relation Name'] !== undefined)
    scanned.push(`${node['Node Type']} on ${node['Relation Name']}: ${seen} rows`)
  for (const child of node.Plans ?? []) collect(child, scanned)
}
