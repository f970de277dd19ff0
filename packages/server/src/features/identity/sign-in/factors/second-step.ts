import type { PageContext, PageServices } from '../page-endpoint.ts'
import { factorPage } from '../pages/factor-page.ts'
import type { Page } from '../pages/page.ts'
import { listFactors } from './factor-store.ts'
import type { HalfSignInRow } from './half-sign-in-store.ts'
import { passkeyRequestOptions, passkeySite } from './passkeys.ts'
import { type UsableFactor, usableFactors } from './use-factor.ts'

/** Shows the second step: what the person chose, otherwise an app, otherwise a passkey. */
export async function showSecondStep(
  services: PageServices,
  { formToken }: Pick<PageContext, 'formToken'>,
  half: HalfSignInRow,
  shown: { way: string | undefined; next: string | undefined; fault?: string; status?: Page['status'] },
): Promise<Page> {
  const { system } = services.database
  const site = passkeySite(services.publicUrl)
  const ways = (await usableFactors(system, half.builder_id)).filter((one) => one !== 'passkey' || site)
  const preferred: UsableFactor[] = ['totp', 'passkey']
  const way =
    ways.find((one) => one === shown.way) ?? preferred.find((one) => ways.includes(one)) ?? ('recoveryCode' as const)
  const passkeyOptions =
    way === 'passkey' && site
      ? await passkeyRequestOptions(site, {
          challenge: half.challenge,
          existing: (await listFactors(system, half.builder_id)).filter(({ kind }) => kind === 'passkey'),
        })
      : undefined
  return factorPage({ ...shown, formToken, way, ways, passkeyOptions })
}
