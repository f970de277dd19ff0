import type { PageContext, PageServices } from '../page-endpoint.ts'
import { enrollPage } from '../pages/enroll-pages.ts'
import type { Page } from '../pages/page.ts'
import { hasProof } from '../proof.ts'
import type { SessionOwner } from '../session-store.ts'
import { listFactors } from './factor-store.ts'
import { passkeySite } from './passkeys.ts'

/** Shows where a person chooses the factor to set up. */
export async function showEnrollPage(
  services: PageServices,
  { formToken }: Pick<PageContext, 'formToken'>,
  owner: SessionOwner,
  shown: { next: string | undefined; fault?: string; status?: Page['status'] },
): Promise<Page> {
  const factors = await listFactors(services.database.system, owner.builderId)
  return enrollPage({
    ...shown,
    formToken,
    email: owner.email,
    isRequired: owner.lacksSecondFactor,
    names: factors.map(({ name }) => name),
    needsProof: !(await hasProof(services, owner)),
    hasPasskeys: passkeySite(services.publicUrl) !== undefined,
  })
}
