import { Card, Facts } from '../../parts/page.tsx'
import type { Connection } from './types.ts'
import './connections.css'

/** What the provider needs to know of the account, such as its host. */
export function Metadata({ connection: { providerMetadata = {} } }: { connection: Connection }) {
  const values = Object.entries(providerMetadata)
  if (values.length === 0) return null
  return (
    <Card title="Values of the account">
      <Facts facts={values.map(([name, value]) => metadataFact(name, value))} />
    </Card>
  )
}

/** A value is `{value, source, displayName?}`. */
function metadataFact(name: string, value: unknown): [string, string] {
  const { displayName, value: text } = (typeof value === 'object' && value !== null ? value : { value }) as {
    displayName?: string
    value?: unknown
  }
  return [displayName || name, typeof text === 'string' ? text : JSON.stringify(text ?? null)]
}
