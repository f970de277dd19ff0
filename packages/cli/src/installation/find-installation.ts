import type { Client, Item, Output } from '@mortise/client'
import type { Command } from '../command.ts'
import { commandLine } from '../command-line.ts'
import { NotFound } from '../service/not-found.ts'
import { UsageError } from '../usage-error.ts'
import type { ConfigContent } from './config-content.ts'

export type Installation = Output<'getInstallation'>

/** The content of the config that an installation has now. */
export function contentOf({ config }: Installation): ConfigContent {
  return config.content as ConfigContent
}

/** How a command names an installation. */
export interface InstallationOptions {
  group?: string
  installation?: string
}

/** Adds the argument and the options that name an installation: its integration, and its group or its id. */
export function withInstallation(command: Command): Command {
  return command
    .argument('<integration>', 'id or name of the integration')
    .option('--group <ref>', 'your ref of the group')
    .option('--installation <id>', 'id of the installation, instead of --group')
}

const unnamed = 'Name the installation: add --group REF, or --installation ID.'

/** Refuses a command line that names no installation, before any request. @throws UsageError */
export function requireInstallation({ group, installation }: InstallationOptions): void {
  if (group === undefined && installation === undefined) throw new UsageError(unnamed)
}

/**
 * Finds the installation that the command line names.
 *
 * @throws NotFound when the group has none
 * @throws UsageError when the group has more than one
 */
export async function findInstallation(
  mortise: Client,
  integrationId: string,
  options: InstallationOptions,
  signal: AbortSignal,
): Promise<Installation> {
  const { group, installation } = options
  if (installation !== undefined)
    return await mortise.getInstallation({ integrationId, installationId: installation }, { signal })
  if (group === undefined) throw new UsageError(unnamed)
  const found: Item<'listInstallations'>[] = await mortise.listInstallations(
    { integrationId, query: { groupRef: group } },
    { signal },
  )
  const [first, ...others] = found
  if (!first)
    throw new NotFound(
      `The group ${group} has no installation of ${integrationId}. Install it with \`${commandLine('install', integrationId, '--group', group)}\`.`,
    )
  if (others.length > 0)
    throw new UsageError(
      `The group ${group} has ${found.length} installations of ${integrationId}. Name one: ${found.map(({ id }) => `--installation ${id}`).join(', ')}.`,
    )
  return first
}
