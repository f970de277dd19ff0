import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Menu } from '../parts/menu.tsx'
import { signOut } from './sign-out.ts'
import { applyTheme, chosenTheme, type Theme } from './theme.ts'

const themes: { theme: Theme; label: string }[] = [
  { theme: 'system', label: 'Theme of the system' },
  { theme: 'light', label: 'Light theme' },
  { theme: 'dark', label: 'Dark theme' },
]

/** What concerns the reader: the account, the theme, the keys, the way out. */
export default function AccountMenu({ onHelp }: { onHelp: () => void }) {
  const navigate = useNavigate()
  const [theme, setTheme] = useState(chosenTheme)
  return (
    <Menu
      label="Account"
      items={[
        { label: 'Your account', onSelect: () => navigate({ to: '/account' as never }) },
        ...themes.map(({ theme: one, label }) => ({
          label: one === theme ? `✓ ${label}` : label,
          onSelect: () => {
            applyTheme(one)
            setTheme(one)
          },
        })),
        { label: 'Keys', onSelect: onHelp },
        { label: 'Documentation', onSelect: () => window.open('/docs', '_blank', 'noopener') },
        { label: 'Sign out', onSelect: signOut },
      ]}
    />
  )
}
