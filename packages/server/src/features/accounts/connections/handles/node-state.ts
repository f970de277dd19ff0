import type { CostBudget } from '@mortise/providers'
import type { AppValuesCache } from '../../../integrations/provider-apps/index.ts'
import type { RenewalRequest } from './renew-credential.ts'
import type { Snapshots } from './snapshots.ts'

/** State that the connection handles of a node share. */
export interface NodeState {
  snapshots: Snapshots
  /** Settings of provider apps that requests use. */
  appValues: AppValuesCache
  /** Renews a generation of a credential. Each node runs one renewal per connection; concurrent callers wait for it. */
  renew(request: RenewalRequest): Promise<void>
  /** Returns what is left of the provider's limit on cost. A change of the connection leaves it as it is. */
  costBudget(projectId: string, connectionId: string): CostBudget
}
