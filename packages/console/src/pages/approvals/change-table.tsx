import { useMutation } from '@tanstack/react-query'
import { Button } from '../../parts/button.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { guarded } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { client } from '../../session/session.ts'
import { type ApprovalDetails, valueIn, whatItSets } from './approval.ts'
import { ValueText } from './value-text.tsx'

type Values = Record<string, unknown>

/** What the call does: each field with its new value and, if somebody asks for it, with its current one. */
export function ChangeTable({ approval, isOpen }: { approval: ApprovalDetails; isOpen: boolean }) {
  const { action } = approval
  const { id, values } = whatItSets(approval.arguments)
  const mayCompare = useMay('developer')
  const compared = useCurrentRecord(approval, id)
  const record = compared.data
  return (
    <section className="stack" aria-label="What it does">
      {action === 'delete' && <p>The record is deleted at the provider. Mortise cannot restore it.</p>}
      {values.length > 0 && (
        <Scrolls>
          <table className="plain-table set-values">
            <thead>
              <tr>
                <th>Field</th>
                {record && <th>Now</th>}
                <th>New value</th>
              </tr>
            </thead>
            <tbody>
              {values.map(({ field, value }) => (
                <tr key={field}>
                  <th scope="row">
                    <ValueText value={field} />
                  </th>
                  {record && (
                    <td className="muted">
                      <ValueText value={valueIn(record, field)} />
                    </td>
                  )}
                  <td>
                    <ValueText value={value} forNull={action === 'update' ? 'the value is removed' : 'no value'} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolls>
      )}
      {record && action === 'delete' && <JsonTree value={record} label="the record" />}
      {compared.error !== null && (
        <p className="field-error wrap" role="alert">
          {compared.error.message}
        </p>
      )}
      {isOpen && mayCompare && id !== undefined && !record && (
        <div className="row">
          <Button busy={compared.isPending} onClick={() => compared.mutate()}>
            {compared.isPending ? 'Reading…' : 'Read the current values'}
          </Button>
          <span className="muted small">From the account, as agents see them.</span>
        </div>
      )}
    </section>
  )
}

/** Reads the record with the tool that agents have for it, so that hidden fields stay hidden. */
function useCurrentRecord(approval: ApprovalDetails, id: string | undefined) {
  const projectIdOrName = useProjectRef()
  return useMutation<Values, Error>({
    async mutationFn() {
      const { groupRef, integrationName, objectName, consumerRef } = approval
      const tools = await guarded(client.listTools({ projectIdOrName, query: { groupRef } }))
      const reader = tools.find(
        (tool) => tool.action === 'get' && tool.integrationName === integrationName && tool.objectName === objectName,
      )
      if (!reader) throw new Error(`Agents have no tool that gets one record of ${objectName}.`)
      const body = { groupRef, agent: 'console', arguments: { id }, ...(consumerRef !== undefined && { consumerRef }) }
      const called = await guarded(client.callTool({ projectIdOrName, toolName: reader.name, body }))
      return recordOf(called.content)
    },
  })
}

/** @throws Error with what an agent would be told, if there is no record */
function recordOf(content: Values): Values {
  const { providerData, error } = content as {
    providerData?: { record?: Values }
    error?: { message?: string; providerMessage?: string }
  }
  if (providerData?.record) return providerData.record
  throw new Error([error?.message, error?.providerMessage].filter(Boolean).join(' ') || 'The tool returned no record.')
}
