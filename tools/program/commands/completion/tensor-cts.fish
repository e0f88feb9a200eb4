# Completion of tensor-cts for fish: what may stand next, the program itself says.
function __tensor_cts_complete
    set -l found (tensor-cts complete --line (commandline -cp | string collect) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c tensor-cts -f -a '(__tensor_cts_complete)'
