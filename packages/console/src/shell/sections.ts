import type { IconName } from '../parts/icons.tsx'

export interface Section {
  label: string
  /** The last part of its address below the project. */
  path: string
  icon: IconName
  /** The number beside it. */
  shows?: 'waitingApprovals'
}

/** The sidebar, from top to bottom. */
export const sections: { label?: string; sections: Section[] }[] = [
  {
    sections: [
      { label: 'Overview', path: 'overview', icon: 'overview' },
      { label: 'Customers', path: 'customers', icon: 'customers' },
      { label: 'Installations', path: 'installations', icon: 'installations' },
      { label: 'Connections', path: 'connections', icon: 'connections' },
    ],
  },
  {
    label: 'Activity',
    sections: [
      { label: 'Operations', path: 'operations', icon: 'operations' },
      { label: 'Approvals', path: 'approvals', icon: 'approvals', shows: 'waitingApprovals' },
      { label: 'Messages', path: 'messages', icon: 'messages' },
      { label: 'Dead letters', path: 'dead-letters', icon: 'deadLetters' },
      { label: 'Provider events', path: 'provider-events', icon: 'events' },
      { label: 'Schema changes', path: 'schema-changes', icon: 'schema' },
    ],
  },
  {
    label: 'Build',
    sections: [
      { label: 'Integrations', path: 'integrations', icon: 'integrations' },
      { label: 'Providers', path: 'providers', icon: 'providers' },
      { label: 'Destinations', path: 'destinations', icon: 'destinations' },
      { label: 'Notifications', path: 'notifications', icon: 'notifications' },
      { label: 'Explorer', path: 'explorer', icon: 'explorer' },
    ],
  },
  { sections: [{ label: 'Settings', path: 'settings', icon: 'settings' }] },
]

/** Parts of pages that the command menu knows by name. */
export const places: Pick<Section, 'label' | 'path'>[] = [
  { label: 'Call a provider', path: 'explorer/provider' },
  { label: 'Try a tool', path: 'explorer/tool' },
]
