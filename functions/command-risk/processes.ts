// Commands that end other processes or change the machine itself: its services, users, mounts, schedules.
import { asCode } from "../../shared/as-code.ts";
import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";

const named = (programs: string): ReadonlySet<string> => new Set(programs.trim().split(/\s+/));
const ends = named("pkill killall killall5 skill snice slay xkill kill-port fkill tkill");
const changesMachine = named(`
reboot shutdown halt poweroff init telinit umount swapon swapoff losetup modprobe insmod rmmod kexec iptables ip6tables
iptables-restore nft ufw firewall-cmd pfctl useradd adduser usermod userdel groupadd groupmod groupdel passwd chpasswd chsh chfn vipw
visudo chattr setfacl setcap update-alternatives ldconfig update-grub grub-install efibootmgr fdisk sfdisk gdisk parted mkswap wipefs
lvremove vgremove pvremove lvcreate cryptsetup mdadm btrfs networksetup scutil spctl csrutil nvram pmset
tmutil batch atrm run-parts logrotate netplan ifup ifdown brctl tc setenforce semanage auditctl
rfkill hwclock localectl loadkeys userdbctl pam_tally2 faillock insserv chkconfig update-rc.d
dpkg-reconfigure debconf dbus-send gdbus busctl reg regedit schtasks sc bcdedit powercfg netsh net wmic takeown icacls
`);
const looksOnly: ReadonlyMap<string, RegExp> = new Map([
  ["crontab", /^-l$/],
  ["systemctl", /^(status|is-active|is-enabled|is-failed|list-\S+|show|cat)\b/],
  ["service", /^--status-all$|\bstatus$/],
  ["launchctl", /^(list|print)\b/],
  ["mount", /^$|^-l$/],
  ["ifconfig", /^-?a?$/],
  ["timedatectl", /^(status|show)?$/],
  ["hostnamectl", /^(status)?$/],
  ["defaults", /^read\b/],
  ["nmcli", /\b(show|status)\b/],
  ["loginctl", /^(list|show)\b|^$/],
  ["at", /^-l$/],
  ["diskutil", /^(list|info)\b/],
  ["zfs", /^(list|get)\b/],
  ["zpool", /^(list|status)\b/],
  ["sysctl", /^(-a|-n)?\s*[\w.]*$/],
  ["hostname", /^(-\w+)?$/],
  ["date", /^(?!.*(-s\b|-\ws\b|--se))/],
  ["pm2", /^(?!.*\b(kill|stop|delete|restart|reload|startup|unstartup|flush)\b)/],
  ["supervisorctl", /^(?!.*\b(stop|restart|shutdown|reload|signal|remove|clear)\b)/],
  ["ip", /^(?!.*\b(set|add|del|delete|flush|replace|change|append|exec)\b)/],
  ["fuser", /^(?!.*-\w*k)/],
]);

export function endsOrChanges(call: Invocation): Finding[] {
  const { program, args } = call;
  const text = args.map((word) => word.text).join(" ");
  if (program === "kill") return kills(call);
  if (ends.has(program)) return [loses(`\`${program}\` ends processes by name: ${asCode(text)}.`, text)];
  const looks = looksOnly.get(program);
  if (!looks && !changesMachine.has(program)) return [];
  if (looks?.test(text) || /^--(version|help)$/.test(text)) return [];
  if (program === "fuser") return [loses("Ends whatever uses a file or a port.", text)];
  const why = `\`${program}\` changes this machine: its tasks, services, users or settings.`;
  return [{ ...loses(why, text), lost: true }];
}

/**
 * `kill` of process 1, of groups, or of all processes. Killing a single process, a job or the number in a variable is
 * common and needs no permission.
 */
function kills({ args, moreArgs }: Invocation): Finding[] {
  const [first, second] = args;
  const signalled = /^-(s|n|-signal)$/.test(first?.text ?? "");
  if (/^-[lL]$/.test(first?.text ?? "") || !first)
    return moreArgs ? [loses("Ends processes that are only known when it runs.", "")] : [];
  const isSignal = first.text.startsWith("-") && second !== undefined;
  const rest = args.slice(signalled ? 2 : isSignal ? 1 : 0);
  const targets = rest.filter(({ text }) => text !== "--");
  const wide = targets.find(({ text }) => /^0*[01]$|^-/.test(text));
  if (wide)
    return [
      {
        ...loses(
          `Ends process ${asCode(wide.text)}: the first one, a whole group, or all of them.`,
          wide.text,
        ),
        lost: true,
      },
    ];
  const found = targets.find(({ scripts }) =>
    scripts.some((script) => !/^\s*(cat|<)\s+[\w./-]+\s*$/.test(script)),
  );
  return found || moreArgs
    ? [loses("Ends processes that are only found when it runs.", found?.scripts.join(" ") ?? "")]
    : [];
}

function loses(why: string, subcommand: string): Finding {
  return { risk: "destructive", why, subcommand };
}
