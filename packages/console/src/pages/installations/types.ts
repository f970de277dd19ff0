import type { Item, Output } from '@mortise/client'

export type Installation = Item<'listInstallationsForProject'>
export type InstallationDetail = Output<'getInstallation'>
export interface InstallationIds {
  integrationId: string
  installationId: string
}
