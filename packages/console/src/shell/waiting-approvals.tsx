import { useCall } from '../session/data.ts'
import { useProjectRef } from '../session/project.tsx'

const countedMax = 99

/** How many calls of agents wait for a person. Shows nothing while there are none. */
export function WaitingApprovals() {
  const { data } = useCall(
    'listApprovals',
    { query: { status: 'waiting', pageSize: countedMax + 1 } },
    { enabled: useProjectRef() !== '', staleMs: 30_000 },
  )
  if (data === undefined || data.length === 0) return null
  return (
    <span className="sections-count number">
      {data.length > countedMax ? `${countedMax}+` : data.length}
      <span className="visually-hidden"> waiting</span>
    </span>
  )
}
