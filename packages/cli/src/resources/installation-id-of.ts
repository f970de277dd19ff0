import { findInstallation } from '../installation/find-installation.ts'
import type { ResourceCall } from './resource.ts'

/**
 * Returns the id of the installation that `--installation` or `--group` names; `--integration` is there.
 *
 * @throws UsageError where neither is there, and where the group has more than one
 */
export async function installationIdOf({ mortise, signal, options }: ResourceCall): Promise<string> {
  return options.installation ?? (await findInstallation(mortise, options.integration!, options, signal)).id
}
