import type { Item } from '@mortise/client'
import { useAuthorName } from '../../parts/actor.ts'
import { Button } from '../../parts/button.tsx'
import { Id } from '../../parts/copy-button.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { DiffView } from '../../parts/lazy.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { ProjectLink } from '../../parts/project-links.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Tag } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useList } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import { textOf } from './config-change.ts'
import { ConfigEdit } from './config-edit.tsx'
import type { InstallationDetail } from './types.ts'

type Version = Item<'listConfigs'>

/** What the customer chose: now, before, and what changed. */
export function ConfigTab({ installation }: { installation: InstallationDetail }) {
  const [{ edit }, set] = useFilters()
  const may = useMay('developer')
  const authorOf = useAuthorName()
  const { config, integrationId } = installation
  if (edit !== undefined && may) return <ConfigEdit installation={installation} />
  return (
    <>
      <Card
        title="Config"
        actions={
          <Button
            disabled={!may}
            title={may ? undefined : 'Developers and owners can do this.'}
            onClick={() => set({ edit: 'form' })}
          >
            Edit
          </Button>
        }
      >
        <Facts
          facts={[
            ['Saved', <Time key="saved" at={config.createTime} />],
            ['By', authorOf(config.createdBy)],
            [
              'Revision',
              <ProjectLink key="revision" path={paths.revisions(integrationId)} search={{ to: config.revisionId }}>
                {config.revisionId.slice(0, 8)}…
              </ProjectLink>,
            ],
          ]}
        />
        <JsonTree value={config.content} label="the config" openLevels={5} />
      </Card>
      <History installation={installation} />
    </>
  )
}

function History({ installation: { id, integrationId } }: { installation: InstallationDetail }) {
  const list = useList('listConfigs', { integrationId, installationId: id })
  return (
    <Card title="History">
      <Loaded query={{ ...list, data: list.items }}>
        {(versions) => (
          <>
            <Versions versions={versions} />
            {list.hasNextPage && (
              <Button busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
                Show older
              </Button>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

/** Chooses two versions, and shows what differs. Both are in the address. */
function Versions({ versions }: { versions: Version[] }) {
  const authorOf = useAuthorName()
  const [{ from, to }, set] = useFilters()
  const after = versions.find(({ id }) => id === to) ?? versions[0]
  const before =
    versions.find(({ id }) => id === from) ?? versions.find(({ version }) => after && version < after.version) ?? after
  const sides = versions.length > 1 ? (['from', 'to'] as const) : []
  if (!after || !before) return <p className="muted">There is no version yet.</p>
  return (
    <>
      <Scrolls>
        <table className="plain-table versions">
          <thead>
            <tr>
              {versions.length > 1 && (
                <>
                  <th>From</th>
                  <th>To</th>
                </>
              )}
              <th>Version</th>
              <th>Saved</th>
              <th>By</th>
              <th>Id</th>
            </tr>
          </thead>
          <tbody>
            {versions.map(({ id, version, createTime, createdBy, isCurrent }) => (
              <tr key={id}>
                {sides.map((side) => (
                  <td key={side}>
                    <input
                      type="radio"
                      name={`version-${side}`}
                      aria-label={`${side === 'from' ? 'From' : 'To'} version ${version}`}
                      checked={(side === 'from' ? before : after).id === id}
                      onChange={() => set({ [side]: id })}
                    />
                  </td>
                ))}
                <td>
                  {version} {isCurrent && <Tag meaning="ok">Current</Tag>}
                </td>
                <td>
                  <Time at={createTime} />
                </td>
                <td>{authorOf(createdBy)}</td>
                <td>
                  <Id id={id} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolls>
      {before.id === after.id ? (
        <p className="muted">
          {versions.length === 1 ? 'This is the first version.' : 'Choose two versions to see what differs.'}
        </p>
      ) : (
        <section aria-label="What differs" className="stack">
          <h3>
            From version {before.version} to {after.version}
          </h3>
          <DiffView before={textOf(before.content)} after={textOf(after.content)} />
        </section>
      )}
    </>
  )
}
