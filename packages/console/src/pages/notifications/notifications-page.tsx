import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/dialog.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { RoutePanel } from './route-panel.tsx'
import { RoutePicture } from './route-picture.tsx'
import { TopicDialog } from './topic-dialog.tsx'
import { useRoutes } from './use-routes.ts'
import './notifications.css'

export default function NotificationsPage() {
  const project = useProjectRef()
  const may = useMay('developer')
  const [filters, set] = useFilters()
  const routes = useRoutes()
  const create = (
    <Button
      look="primary"
      disabled={!may}
      title={may ? undefined : 'A developer can do this.'}
      onClick={() => set({ new: 'topic' })}
    >
      Create topic
    </Button>
  )
  return (
    <Page
      title="Notifications"
      about="Which events go where: an event goes to topics, and a topic to destinations. Choose one to see and change its routes."
      actions={create}
    >
      <Loaded query={routes} lines={10}>
        {(picture) => (
          <>
            {picture.topics.length === 0 && (
              <Empty
                title="No notifications are sent"
                text="Create a topic, route events to it, and route it to a destination. A topic is a name for a group of events, such as errors."
                command={`mortise create topic errors --project ${project}`}
                action={create}
              />
            )}
            <RoutePicture picture={picture} chosen={filters['open']} onChoose={(key) => set({ open: key })} />
            <Panel open={filters['open'] !== undefined} onClose={() => set({ open: undefined })} title="Routes">
              {filters['open'] !== undefined && (
                <RoutePanel
                  key={filters['open']}
                  picture={picture}
                  chosen={filters['open']}
                  onGone={() => set({ open: undefined })}
                />
              )}
            </Panel>
          </>
        )}
      </Loaded>
      {filters['new'] !== undefined && (
        <TopicDialog
          onClose={() => set({ new: undefined })}
          onDone={({ id }) => set({ new: undefined, open: `topic ${id}` })}
        />
      )}
    </Page>
  )
}
