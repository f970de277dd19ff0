import type { Catalogue } from './catalogue.ts'
import type { Finding } from './finding.ts'
import type { Manifest } from './manifest.ts'
import { collectFindings } from './report.ts'
import { readManifest } from './rules/integration.ts'
import type { MissingParams, MissingScopes } from './rules/missing-scopes.ts'
import { scheduleIntervals } from './rules/scope.ts'
import { readIgnoreDirectives } from './source/ignore-directives.ts'
import { readYaml } from './source/read-yaml.ts'

export interface ValidateOptions {
  catalogue: Catalogue
  /** Names of the destinations of the project; absent: not checked. */
  destinations?: ReadonlySet<string>
  /** Providers that the project has a provider app for; absent: not checked. */
  providerApps?: ReadonlySet<string>
  /** OAuth scopes that the provider apps of the project lack; absent: not checked. */
  missingScopes?: MissingScopes
  /** Settings that the provider apps of the project lack; absent: not checked. */
  missingParams?: MissingParams
  /** Rules of level `strict` become errors. */
  strict?: boolean
  /** Least interval of read schedules, in milliseconds. */
  readIntervalMinMs: number
}

export interface ValidateResult {
  /** Normalized; `undefined` if there is an error. */
  manifest: Manifest | undefined
  /** In the order of the text, at most 100. The last one then contains the total number. */
  findings: Finding[]
  /** No finding is an error. */
  valid: boolean
}

/** Parses a manifest and finds all its errors together. Accepts any text; never throws for its content. */
export function validateManifest(source: string, options: ValidateOptions): ValidateResult {
  const findings = collectFindings(options.strict ?? false)
  const { report } = findings
  const { root, comments, problems } = readYaml(source)
  for (const { rule, place, message, suggestion } of problems) report(rule, place, { message, suggestion })

  let manifest: Manifest | undefined
  if (root !== undefined) {
    findings.ignore(readIgnoreDirectives(comments, root))
    const { catalogue, destinations, providerApps, missingScopes, missingParams, readIntervalMinMs } = options
    const scheduleInterval = scheduleIntervals(report)
    manifest = readManifest(
      { report, destinations, missingScopes, readIntervalMinMs, scheduleInterval },
      { catalogue, providerApps, missingParams },
      root,
    )
  }
  const valid = !findings.hasErrors()
  return { manifest: valid ? manifest : undefined, findings: findings.list(), valid }
}
