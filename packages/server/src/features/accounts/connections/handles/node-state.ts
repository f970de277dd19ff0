import type { RenewalRequest } from './renew-credential.ts'
import type { Snapshots } from './snapshots.ts'

/** State that the connection handles of a node share. */
export interface NodeState {
  snapshots: Snapshots
  /** Renews a generation of a credential. Each node runs one renewal per connection; concurrent callers wait for it. */
  renew(request: RenewalRequest): Promise<void>
}
