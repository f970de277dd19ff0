import { Tabs } from '../../parts/page.tsx'
import { useProjectRef } from '../../session/project.tsx'

/** Parts of a destination that stores records: what it is, and what it stores. */
export function DestinationTabs({ name }: { name: string }) {
  const base = `/${useProjectRef()}/destinations/${encodeURIComponent(name)}`
  return (
    <Tabs
      tabs={[
        { label: 'Destination', to: base },
        { label: 'Records', to: `${base}/records` },
      ]}
    />
  )
}
