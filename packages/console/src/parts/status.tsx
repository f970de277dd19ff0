export type Meaning = 'ok' | 'warning' | 'error' | 'info' | 'none'

/** What the states of resources mean. A state that is not here is shown without a color. */
const meanings: Record<string, Meaning> = {
  success: 'ok',
  done: 'ok',
  healthy: 'ok',
  working: 'ok',
  enabled: 'ok',
  active: 'ok',
  accepted: 'ok',
  delivered: 'ok',
  verified: 'ok',
  valid: 'ok',
  connected: 'ok',
  scheduled: 'ok',
  backfilling: 'info',
  in_progress: 'info',
  running: 'info',
  waiting: 'info',
  asking: 'info',
  pending: 'info',
  created: 'info',
  handshake: 'info',
  duplicate: 'none',
  paused: 'warning',
  retrying: 'warning',
  warning: 'warning',
  unverified: 'warning',
  busy: 'warning',
  bad: 'error',
  failure: 'error',
  failed: 'error',
  failing: 'error',
  unhealthy: 'error',
  dead: 'error',
  disabled: 'warning',
  error: 'error',
  bad_credentials: 'error',
  unreachable: 'error',
  malformed: 'error',
  dropped: 'error',
  unknown: 'warning',
}

export function meaningOf(state: string): Meaning {
  return meanings[state] ?? 'none'
}

/** "in_progress" and "inProgress" as "In progress". */
export function words(state: string): string {
  const spaced = state
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase()
    .replace(/\bapi\b/, 'API')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

/** A dot, a word, and the reason. Never color alone. */
export function Status({ state, label, reason }: { state: string; label?: string; reason?: string | undefined }) {
  return (
    <span className={`status ${meaningOf(state)}`} title={reason}>
      <span className="dot" aria-hidden="true" />
      {label ?? words(state)}
      {reason !== undefined && <span className="reason">{reason}</span>}
    </span>
  )
}

/** A short mark, such as the kind of something. */
export function Tag({ children, meaning = 'none' }: { children: React.ReactNode; meaning?: Meaning }) {
  return <span className={`tag ${meaning}`}>{children}</span>
}
