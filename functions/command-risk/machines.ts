// Containers, virtual machines and clusters: commands that run there are outside the jail, and the command line does
// not show what they do.
import { asCode } from "../../shared/as-code.ts";
import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";
import { readArguments } from "./options.ts";

/** Verbs that only look at this machine, by program; any other verb asks. */
const looks: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    "docker|podman|nerdctl":
      "ps|images|logs|inspect|version|info|stats|top|port|history|diff|events|(compose|container|image|volume|network|system|context) (ps|ls|list|logs|config|images|version|inspect|df|show|top|port)",
    "docker-compose|podman-compose": "ps|ls|logs|config|images|version|top|port",
    "kubectl|oc": "version|config view|kustomize|completion|help",
    helm: "lint|template|version|show chart|completion",
    "terraform|tofu": "fmt|validate|version|providers|graph|show|output",
    pulumi: "version",
    nomad: "version|fmt",
    "wrangler|flyctl|fly": "types|version|check",
    "minikube|kind|k3d|colima|limactl|multipass|lxc|incus|virsh|vagrant|machinectl":
      "version|status|list|ls|get clusters|global-status|validate",
    "earthly|dagger": "version|functions|config|ls|doc",
    packer: "version|fmt|validate|inspect|plugins",
    "crictl|ctr": "version|ps|images",
    "lxd|k3s|runc|crun|youki|containerd|buildah|systemd-nspawn|firecracker|distrobox|toolbox|bwrap|firejail|qemu|VBoxManage|vmrun|utmctl|orb|act|wsl|wsl.exe|argocd|istioctl|eksctl|kops|k9s|skaffold|tilt|devspace|okteto|apptainer|singularity|udocker|img|kaniko":
      "version",
  }).flatMap(([programs, verbs]) =>
    programs.split("|").map((name) => [name, new RegExp(`^(${verbs})( |$)`)] as const),
  ),
);
const spec =
  "H:l:c:n:f:p:host:context:config:log-level:namespace:file:project-name:project-directory:kubeconfig:profile:env-file:tlscacert:connection:url:chdir:";
/** Options that name another machine. */
const elsewhere = new Set(["-H", "--host", "--context", "--connection", "--url", "--kubeconfig"]);

export function runsElsewhere({ program, args, moreArgs }: Invocation): Finding[] {
  const verbs = looks.get(program) ?? (program.startsWith("qemu-system") ? /^$/ : undefined);
  if (!verbs) return [];
  const read = readArguments(args, spec);
  const words = read.operands.map(({ text }) => text).join(" ");
  const asksOnly = args.length === 1 && /^(--version|--help|-v|-h)$/.test(args[0]?.text ?? "");
  const isLooking = !moreArgs && verbs.test(words) && !read.options.some(({ name }) => elsewhere.has(name));
  if (asksOnly || (isLooking && !read.operands.some(({ unknown }) => unknown))) return [];
  const verb = read.operands[0]?.text ?? "";
  const losesData =
    /\b(prune|rmi?)\b/.test(words) ||
    (/\bdown\b/.test(words) && read.options.some(({ name }) => /^(-v|--volumes)$/.test(name)));
  return [
    ...(losesData
      ? [
          {
            risk: "destructive" as const,
            why: "Removes volumes, images or containers with their data.",
            subcommand: words,
          },
        ]
      : []),
    {
      risk: "remote",
      why: `${asCode(`${program} ${verb}`)} works with containers, machines or a cluster outside the sandbox.`,
      subcommand: words,
    },
  ];
}
