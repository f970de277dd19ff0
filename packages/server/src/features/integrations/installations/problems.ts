import { InvalidInput, type Issue, type Problem, problem } from '../../../kernel/http/index.ts'

export const InstallationNotFound = problem({
  code: 'installation-not-found',
  status: 404,
  title: 'Installation not found',
  detail: 'The integration has no installation with this id.',
  remedy: 'List the installations of the integration to find its id.',
  retryable: false,
  subsystem: 'installations',
})

export const SampleReadFailed = problem({
  code: 'sample-read-failed',
  status: 422,
  title: 'The test read failed',
  detail:
    'Mortise read one record of each scheduled object to test the config, and the provider refused. Nothing was saved.',
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
