import { InvalidInput, type Issue, type Problem, problem } from '../../kernel/http/index.ts'

export const InstallationNotFound = problem({
  code: 'installation-not-found',
  status: 404,
  title: 'No such installation',
  detail: 'The integration has no such installation.',
  remedy: 'List the installations of the integration to find its id.',
  retryable: false,
  subsystem: 'installations',
})

export const CapabilityNotImplemented = problem({
  code: 'capability-not-implemented',
  status: 422,
  title: 'This installation has no connector for that',
  detail: 'The provider is known, but nothing here says how to do this at the provider.',
  remedy:
    'Describe it in the provider file (MORTISE_PROVIDERS_DIR), or leave that part out of the config. `mortise doctor` shows provider files with errors.',
  retryable: false,
  subsystem: 'installations',
})

export const SampleReadFailed = problem({
  code: 'sample-read-failed',
  status: 422,
  title: 'The provider refuses what would be read',
  detail:
    'One record of each scheduled object was read to try the config, and the provider refused. Nothing was saved.',
  remedy: 'Correct the fields that the provider does not know or show, or send skipSampling=true.',
  retryable: false,
  subsystem: 'installations',
})

export const InstallationBusy = problem({
  code: 'installation-busy',
  status: 409,
  title: 'The installation is being changed',
  detail: 'Other requests kept changing this installation at the same time.',
  remedy: 'Send the request again.',
  retryable: true,
  subsystem: 'installations',
})

/** The 400 of invalid inputs. */
export function refused(...issues: Issue[]): Problem {
  return new InvalidInput({ issues })
}
