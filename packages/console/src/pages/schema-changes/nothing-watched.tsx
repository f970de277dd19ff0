import { Empty } from '../../parts/states.tsx'

const manifest = `watchSchema:
  destination: events
  schedule: 0 */6 * * *
  allObjects:
    fieldCreated: { enabled: always }
    fieldDeleted: { enabled: always }
    fieldChanged: { enabled: always }`

export function NothingWatched() {
  return (
    <Empty
      title="No schema changes"
      text="Add watchSchema to an integration in the manifest, and deploy it. The first check is the baseline; later ones list what differs."
      command={manifest}
    />
  )
}
