import type { Item } from '@mortise/client'
import { type FormEvent, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ConfirmButton, Dialog } from '../../parts/dialog.tsx'
import { FormProblem, issueOf, TextField } from '../../parts/fields.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall, useChange } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import { OrgSettingsPage } from './settings-page.tsx'

type Domain = Item<'listOrgClaimedDomains'>

/** People whose email is at a verified domain join the organization when they sign in. */
export default function DomainsPage() {
  const isOwner = useMay('owner')
  return (
    <OrgSettingsPage actions={(orgId) => isOwner && <ClaimButton orgId={orgId} />}>
      {(orgId) => (
        <>
          <p className="muted">
            People with an email address at a verified domain join your organization when they sign in.
          </p>
          <Domains orgId={orgId} />
        </>
      )}
    </OrgSettingsPage>
  )
}

function Domains({ orgId }: { orgId: string }) {
  const query = useCall('listOrgClaimedDomains', { orgId })
  return (
    <Loaded query={query}>
      {(domains) =>
        domains.length === 0 ? (
          <Empty
            title="No domains"
            text="Claim the domain of your company, so that you do not invite each colleague."
          />
        ) : (
          domains.map((domain) => <DomainCard key={domain.id} orgId={orgId} domain={domain} />)
        )
      }
    </Loaded>
  )
}

function DomainCard({ orgId, domain }: { orgId: string; domain: Domain }) {
  const isOwner = useMay('owner')
  const verify = useChange('verifyClaimedDomain', {
    refreshes: ['listOrgClaimedDomains'],
    done: ({ status }) => (status === 'verified' ? 'The domain is verified' : 'The record was not found yet'),
  })
  const remove = useChange('deleteClaimedDomain', {
    refreshes: ['listOrgClaimedDomains'],
    done: 'The claim was deleted',
  })
  const { verification } = domain
  return (
    <Card
      title={domain.domain}
      actions={
        isOwner && (
          <>
            {domain.status === 'pending' && (
              <Button busy={verify.isPending} onClick={() => verify.mutate({ orgId, claimedDomainId: domain.id })}>
                Verify
              </Button>
            )}
            <ConfirmButton
              label="Delete"
              title={`Delete the claim of ${domain.domain}?`}
              text="People who joined by it stay. Others no longer join."
              action="Delete claim"
              busy={remove.isPending}
              onConfirm={() => remove.mutateAsync({ orgId, claimedDomainId: domain.id })}
            />
          </>
        )
      }
    >
      <Facts
        facts={[
          ['Status', <Status key="status" state={domain.status} />],
          ['Claimed', <Time key="created" at={domain.createTime} format="absolute" />],
          ['DNS record', verification && `${verification.recordType} of ${verification.recordName}`],
          [
            'Value',
            verification && (
              <>
                <code className="wrap">{verification.recordValue}</code>
                <CopyButton text={verification.recordValue} label="Copy the value" />
              </>
            ),
          ],
        ]}
      />
    </Card>
  )
}

function ClaimButton({ orgId }: { orgId: string }) {
  const [open, setOpen] = useState(false)
  const [domain, setDomain] = useState('')
  const claim = useChange('claimDomain', {
    refreshes: ['listOrgClaimedDomains'],
    done: 'Add the DNS record, then verify it',
    showsProblem: false,
    onDone: () => {
      setOpen(false)
      setDomain('')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    claim.mutate({ body: { domain, parentId: orgId, parentType: 'org' } })
  }
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        Claim a domain
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Claim a domain">
        <form className="form" onSubmit={submit}>
          <TextField
            label="Domain"
            help="For example acme.com"
            required
            value={domain}
            error={issueOf(claim.error, 'domain')}
            onChange={(event) => setDomain(event.target.value)}
          />
          <FormProblem error={claim.error} />
          <div className="row dialog-actions">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button type="submit" look="primary" busy={claim.isPending}>
              Claim domain
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
