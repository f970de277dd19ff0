import { findInstallation } from '../installation/find-installation.ts'
import { needed, type ResourceCall } from './resource.ts'

/**
 * Returns the id of the installation that `--installation` or `--group` names; `--integration` is there.
 *
 * @throws UsageError where neither is there, and where the group has more than one
 */
export async function installationIdOf(call: ResourceCall): Promise<string> {
  const { mortise, signal, options } = call
  return options.installation ?? (await findInstallation(mortise, needed(call, 'integration'), options, signal)).id
}
