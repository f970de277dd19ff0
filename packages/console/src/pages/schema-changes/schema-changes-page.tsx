import { Button } from '../../parts/button.tsx'
import { FilterBar, useFilters } from '../../parts/filters.tsx'
import { Page, Tabs } from '../../parts/page.tsx'
import { SavedViews } from '../../parts/saved-views.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { useCall } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { ChangeList } from './change-list.tsx'
import { NothingWatched } from './nothing-watched.tsx'
import { installationsMax, useChosenInstallations } from './use-changes.ts'
import { WatchList } from './watch-list.tsx'
import './schema-changes.css'

export default function SchemaChangesPage() {
  const project = useProjectRef()
  const [filters, set] = useFilters()
  const integrations = useCall('listIntegrations', {}, { staleMs: 600_000 })
  const chosen = useChosenInstallations(filters)
  const { tab, ...search } = filters
  const { installationId } = filters
  const here = `/${project}/schema-changes`
  return (
    <Page
      title="Schema changes"
      about="Fields that customers added, changed or deleted in their accounts."
      actions={<SavedViews list="schema-changes" />}
      tabs={
        <Tabs
          tabs={[
            { label: 'History', to: here, search },
            { label: 'Checks', to: here, search: { ...search, tab: 'watches' } },
          ]}
        />
      }
    >
      <FilterBar
        filters={[
          {
            name: 'integrationId',
            label: 'Integration',
            choices: integrations.data?.map(({ id, name }) => ({ value: id, label: name })) ?? [],
          },
          { name: 'groupRef', label: 'Customer', kind: 'text' },
          { name: 'objectName', label: 'Object', kind: 'text' },
        ]}
      />
      {installationId !== undefined && (
        <p className="narrow row small">
          Only one installation is shown.
          <Button look="quiet" onClick={() => set({ installationId: undefined })}>
            Show all
          </Button>
        </p>
      )}
      <Loaded query={chosen}>
        {(installations) => {
          if (installations.length === 0 && Object.keys(search).length === 0) return <NothingWatched />
          if (installations.length === 0)
            return <Empty title="No installation matches" text="Remove a filter, or write the customer’s whole ref." />
          return (
            <>
              {chosen.areMore && (
                <p className="narrow small" role="status">
                  This is the history of {installationsMax} installations. There are more: choose an integration or a
                  customer.
                </p>
              )}
              {tab === 'watches' ? (
                <WatchList installations={installations} objectName={filters['objectName']} />
              ) : (
                <ChangeList installations={installations} objectName={filters['objectName']} />
              )}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}
