export { type ApiOptions, type ConnectApi, createApi, type InstallationChange } from './api.ts'
export { browserWindows } from './browser-windows.ts'
export type { AccessResult, AccessState, ConnectState } from './connect-state.ts'
export { type ConnectOptions, ConnectStore } from './connect-store.ts'
export {
  createDraft,
  type Draft,
  type DraftIssue,
  type DynamicMapping,
  type DynamicMappings,
  draftChange,
  draftContent,
  draftIssues,
  type FieldItem,
  type MappingDraft,
  type ObjectDraft,
  type WriteDraft,
} from './draft.ts'
export type { FieldIssue } from './form-values.ts'
export { type GalleryItem, type GalleryState, GalleryStore } from './gallery-store.ts'
export type { InstallState } from './install-state.ts'
export { type InstallOptions, InstallStore } from './install-store.ts'
export type { ManagedConnection, ManagedInstallation, ManageState, Removal } from './manage-state.ts'
export { type ManageOptions, ManageStore } from './manage-store.ts'
export { canContinueWithout, deniedObjects, usesOf } from './permissions.ts'
export type { Readable } from './readable.ts'
export { indexed, type SearchIndex, search } from './search.ts'
export type { Trouble } from './trouble.ts'
export { type WebhookOptions, type WebhookState, WebhookStore } from './webhook-store.ts'
export type { OpenedWindow, Windows } from './windows.ts'
export type * from './wire.ts'
