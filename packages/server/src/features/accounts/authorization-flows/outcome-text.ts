import type { ConnectionRow } from '../connections/index.ts'

/** Text for people about a connection that was just made. */
export interface OutcomeText {
  /** Whether the credential may be valid: it works, or it could not be tested. */
  isGood: boolean
  title: string
  text: string
}

/** Describes the result of the connection's check for the person who connected it. */
export function outcomeText(
  { status, check_outcome, check_reason }: Pick<ConnectionRow, 'status' | 'check_outcome' | 'check_reason'>,
  displayName: string,
): OutcomeText {
  const outcome = status === 'bad_credentials' ? 'refused' : check_outcome
  const reason = check_reason === null ? '' : ` ${check_reason}`
  switch (outcome) {
    case 'refused':
      return {
        isGood: false,
        title: `${displayName} does not work`,
        text: `${displayName} refused this credential.${reason} Check the credential and its permissions, and try again.`,
      }
    case 'unreachable':
      return {
        isGood: false,
        title: `${displayName} does not work`,
        text: `${displayName} could not be reached.${reason} Check what you entered, and try again.`,
      }
    case 'notChecked':
      return {
        isGood: true,
        title: `${displayName} is connected`,
        text: check_reason ?? 'The credential was not tested.',
      }
    default:
      return { isGood: true, title: `${displayName} is connected`, text: '' }
  }
}
