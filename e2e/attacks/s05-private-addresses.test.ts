import { attack } from './s05-private-addresses.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
