import type { ReactNode } from 'react'
import { Page, Tabs } from '../../parts/page.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { useProject, useProjectRef } from '../../session/project.tsx'

/** The frame of the settings: each part has an address. */
export function SettingsPage({
  children,
  actions,
  fills,
}: {
  children: ReactNode
  actions?: ReactNode
  fills?: boolean
}) {
  const base = `/${useProjectRef()}/settings`
  return (
    <Page
      title="Settings"
      {...(actions !== undefined && { actions })}
      {...(fills !== undefined && { fills })}
      tabs={
        <Tabs
          tabs={[
            { label: 'Project', to: base },
            { label: 'Connect pages', to: `${base}/connect` },
            { label: 'API keys', to: `${base}/api-keys` },
            { label: 'Token keys', to: `${base}/token-keys` },
            { label: 'People', to: `${base}/people` },
            { label: 'Domains', to: `${base}/domains` },
            { label: 'Audit log', to: `${base}/audit-log` },
          ]}
        />
      }
    >
      {children}
    </Page>
  )
}

/** Settings of the organization that owns the project, once it is known. */
export function OrgSettingsPage({
  actions,
  children,
}: {
  actions: (orgId: string) => ReactNode
  children: (orgId: string) => ReactNode
}) {
  const orgId = useProject()?.orgId
  return (
    <SettingsPage actions={orgId !== undefined && actions(orgId)}>
      {orgId === undefined ? <Skeleton /> : children(orgId)}
    </SettingsPage>
  )
}
