import { CustomerField } from '../../parts/customer-field.tsx'
import { TextField } from '../../parts/fields.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { Card } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { ProjectLink } from '../../parts/project-links.tsx'
import { Empty, Loaded, Skeleton } from '../../parts/states.tsx'
import { useSettled } from '../../parts/use-settled.ts'
import { useCall } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import { type Tool, ToolForm, ToolMarks } from './tool-form.tsx'

/** Calls a tool as an agent would, under the rules of the manifest. */
export function ToolRequest() {
  const may = useMay('developer')
  const [filters, set] = useFilters()
  const { groupRef = '', consumerRef = '' } = filters
  const settledGroup = useSettled(groupRef)
  const settledConsumer = useSettled(consumerRef)
  if (!may)
    return (
      <Empty
        title="Developers can call tools"
        text="A call reads or changes a customer’s account. Ask a developer, or an owner for the role."
      />
    )
  return (
    <>
      <Card title="Who the agent works for">
        <div className="parameters">
          <CustomerField
            value={groupRef}
            onChange={(value) => set({ groupRef: value, tool: undefined, operation: undefined })}
          />
          <TextField
            label="Person"
            optional
            help="Your id of the person (consumerRef). Rules with {{consumer}} need it."
            value={consumerRef}
            onChange={(event) => set({ consumerRef: event.target.value })}
          />
        </div>
      </Card>
      {settledGroup === '' ? (
        <Empty title="Choose a customer" text="Each customer has its own tools, with the fields of its accounts." />
      ) : (
        <Tools groupRef={settledGroup} consumerRef={settledConsumer} />
      )}
    </>
  )
}

function Tools({ groupRef, consumerRef }: { groupRef: string; consumerRef: string }) {
  const [filters, set] = useFilters()
  const query = useCall('listTools', { query: { groupRef } }, { staleMs: 30_000 })
  const logged = useLoggedArguments(filters['operation'])
  // A list of another customer is no list of this one.
  if (query.isPlaceholderData) return <Skeleton lines={4} />
  return (
    <Loaded query={query} lines={4}>
      {(found) =>
        found.length === 0 ? (
          <NoTools groupRef={groupRef} />
        ) : (
          <Chosen
            tools={found}
            name={filters['tool']}
            {...{ groupRef, consumerRef }}
            logged={logged}
            operation={filters['operation']}
            onChoose={(tool) => set({ tool, operation: undefined })}
          />
        )
      }
    </Loaded>
  )
}

function NoTools({ groupRef }: { groupRef: string }) {
  return (
    <Empty
      title={`Agents have no tools for ${groupRef}`}
      text="A tool needs an action under agent in the manifest, an installation that includes the object, and a connection that works."
      action={<ProjectLink path={paths.customer(groupRef)}>Look at the customer</ProjectLink>}
    />
  )
}

function Chosen({
  tools,
  name,
  groupRef,
  consumerRef,
  operation,
  logged,
  onChoose,
}: {
  tools: Tool[]
  name: string | undefined
  groupRef: string
  consumerRef: string
  operation: string | undefined
  logged: { isPending: boolean; text: string | undefined }
  onChoose: (name: string) => void
}) {
  const tool = name === undefined ? tools[0] : tools.find((one) => one.name === name)
  return (
    <>
      <Card title="Tool" actions={tool && <ToolMarks tool={tool} />}>
        <div className="stack">
          <select
            className="plain-select"
            aria-label="Tool"
            value={tool?.name ?? ''}
            onChange={(event) => onChoose(event.target.value)}
          >
            {!tool && <option value="">{`${name} (the customer does not have it now)`}</option>}
            {tools.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
          {tool && <p className="wrap">{tool.description}</p>}
        </div>
      </Card>
      {tool &&
        (logged.isPending ? (
          <Skeleton lines={4} />
        ) : (
          <ToolForm
            key={`${groupRef} ${tool.name} ${operation ?? ''}`}
            {...{ tool, groupRef, consumerRef }}
            logged={logged.text}
          />
        ))}
    </>
  )
}

/** The arguments in the log of a call that somebody wants to repeat. */
function useLoggedArguments(operationId: string | undefined): { isPending: boolean; text: string | undefined } {
  const enabled = operationId !== undefined
  const { data, isPending, error } = useCall(
    'listOperationLogs',
    { operationId: operationId ?? '' },
    { enabled, staleMs: 60_000 },
  )
  // Without its log, the form is empty.
  if (!enabled || error != null) return { isPending: false, text: undefined }
  return {
    isPending,
    text: data?.find(({ message }) => message.details?.['arguments'])?.message.details?.['arguments'],
  }
}
