import { Button } from '../../parts/button.tsx'
import { toast } from '../../parts/toasts.ts'
import { useChange } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import type { Connection } from './types.ts'

/** Has the service check the credential now, and shows what it found. */
export function TestButton({ connection }: { connection: Connection }) {
  const may = useMay('operator')
  const test = useChange('testConnection', {
    refreshes: [
      'getConnection',
      'listConnections',
      'getConnectInfo',
      'listTimeline',
      'listFailingInstallations',
      'getOverview',
    ],
    onDone: ({ status, lastCheck }) => {
      if (status === 'bad_credentials')
        toast({ title: 'The provider refused the credential', text: lastCheck?.reason ?? '', kind: 'error' })
      else if (lastCheck?.outcome === 'works') toast({ title: 'The provider accepted the credential', kind: 'success' })
      else
        toast({
          title: 'The test found nothing out',
          text: lastCheck?.reason ?? 'The provider has no request that only tests a credential.',
          kind: 'info',
        })
    },
  })
  return (
    <Button
      disabled={!may}
      title={may ? undefined : 'Operators, developers and owners can do this.'}
      busy={test.isPending}
      onClick={() => test.mutate({ connectionId: connection.id })}
    >
      {test.isPending ? 'Testing…' : 'Test now'}
    </Button>
  )
}
