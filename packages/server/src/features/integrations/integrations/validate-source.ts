import type { Finding, Manifest, MissingParams, MissingScopes, ValidateResult } from '@mortise/manifest'
import type { Config } from '../../../config.ts'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type Issue, UnacceptableInput } from '../../../kernel/http/index.ts'
import { destinationNames } from '../../messaging/destinations/index.ts'
import type { ManifestValidator } from './manifest-validator.ts'

export interface ValidateServices {
  validateManifest: ManifestValidator
  config: Pick<Config, 'readIntervalMinMs'>
  /** Returns the OAuth scopes that the provider apps of the project lack, by object. */
  missingScopesOfApps(db: ProjectDb): Promise<MissingScopes>
  /** Returns the settings that the provider apps of the project lack, by provider. */
  missingParamsOfApps(db: ProjectDb): Promise<MissingParams>
}

/** Validates a manifest against the catalog, the destinations and the provider apps of the project. */
export async function validateSource(
  db: ProjectDb,
  yaml: string,
  strict: boolean,
  { validateManifest, config, missingScopesOfApps, missingParamsOfApps }: ValidateServices,
): Promise<ValidateResult> {
  const [destinations, missingScopes, missingParams] = await Promise.all([
    destinationNames(db),
    missingScopesOfApps(db),
    missingParamsOfApps(db),
  ])
  const { readIntervalMinMs } = config
  return await validateManifest(yaml, { destinations, missingScopes, missingParams, strict, readIntervalMinMs })
}

/**
 * Returns the manifest if it can be deployed.
 *
 * @throws UnacceptableInput (422) with one issue for each error
 */
export function acceptable({ manifest, findings }: ValidateResult): Manifest {
  if (manifest) return manifest
  const errors = errorsOf(findings)
  throw new UnacceptableInput({
    detail: `The manifest has ${errors.length === 1 ? 'an error' : 'errors'}; nothing was changed.`,
    issues: errors.map(issueOf),
  })
}

/** Returns the findings that stop a deploy. */
export function errorsOf(findings: Finding[]): Finding[] {
  return findings.filter(({ level, rule }) => level === 'error' || rule === 'findings-truncated')
}

function issueOf({ path, value, message, suggestion, rule, line, column }: Finding): Issue {
  return {
    in: 'body',
    name: path,
    ...(value !== undefined && { value }),
    detail: message,
    ...(suggestion !== undefined && { remedy: suggestion }),
    context: { rule, line, column },
  }
}
